package edit

import (
	"maps"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// Taken turns a value from Look of one document into one that can be set in another. Its fields come in the order of
// those of an object like it; other fields follow, sorted by name.
func Taken(got any, like client.Object) any {
	switch v := got.(type) {
	case map[string]any:
		o := client.Object{}
		for _, f := range like {
			if value, there := v[f.Key]; there {
				within, _ := f.Value.(client.Object)
				o = append(o, client.Field{Key: f.Key, Value: Taken(value, within)})
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.ContainsFunc(like, func(f client.Field) bool { return f.Key == key }) {
				o = append(o, client.Field{Key: key, Value: Taken(v[key], nil)})
			}
		}
		return o
	case []any:
		all := []any{}
		for _, value := range v {
			all = append(all, Taken(value, nil))
		}
		return all
	}
	return got
}
