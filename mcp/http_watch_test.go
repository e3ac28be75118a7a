package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

func TestHTTPSubscribe_NotifiesOfNewMail(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := serve(t, workspace(t), mcp.HTTPConfig{})
			architect, heard := s.join(era, "architect"), s.join(era, "qa").watch(7, "handoff://inbox")
			require.Equal(t, "no-store", heard.header.Get("Cache-Control"))
			for range 3 {
				require.False(t, architect.postForAnswer(architect.call(7, "send_handoff", `{"to":"qa","task":"Test the login"}`)).Result.IsError)
				said := parse(t, heard.nextEvent())
				require.Equal(t, "notifications/resources/updated", said.Method)
				require.Equal(t, "handoff://inbox", said.Params["uri"])
			}
		})
	}
}

func TestHTTPUnsubscribe_EndsNotifications(t *testing.T) {
	cfg := workspace(t)
	s := serve(t, cfg, mcp.HTTPConfig{})
	qa := s.join("2025-11-25", "qa")
	heard := qa.watch(7, "handoff://inbox")
	qa.postForAnswer(qa.write(8, "resources/subscribe", `"uri":"handoff://inbox/qa"`))
	qa.postForAnswer(qa.write(9, "resources/unsubscribe", `"uri":"handoff://inbox"`))
	sendWork(t, cfg, 10)
	for range 10 {
		require.Equal(t, "handoff://inbox/qa", parse(t, heard.nextEvent()).Params["uri"])
	}
}

// The first stream also sends the changes that came before it.
func TestHTTPStream_FirstStreamSendsEarlierChanges(t *testing.T) {
	cfg := workspace(t)
	s := serve(t, cfg, mcp.HTTPConfig{})
	qa := s.newClient("qa").beginSession("2025-11-25")
	qa.postForAnswer(subscribe("handoff://inbox"))
	const sends = 100 // more than a session keeps
	sendWork(t, cfg, sends)
	heard := qa.openStream(http.MethodGet, "")
	for range sends {
		require.Contains(t, heard.nextEvent(), "handoff://inbox")
	}
}

// The server cannot know which notifications a broken stream has delivered.
func TestHTTPStream_ReopenedStreamNotifiesOfAllWatchedResources(t *testing.T) {
	cfg := workspace(t)
	s := serve(t, cfg, mcp.HTTPConfig{})
	qa := s.newClient("qa").beginSession("2025-11-25")
	for _, uri := range []string{"handoff://inbox", "handoff://handoff/1"} {
		qa.postForAnswer(subscribe(uri))
	}
	first := qa.openStream(http.MethodGet, "")
	first.leave()
	s.awaitAtMostRunning(0)
	again := qa.openStream(http.MethodGet, "")
	var told []any
	for range 2 {
		told = append(told, parse(t, again.nextEvent()).Params["uri"])
	}
	require.ElementsMatch(t, []any{"handoff://inbox", "handoff://handoff/1"}, told)
	sendWork(t, cfg, 1)
	require.Contains(t, again.nextEvent(), "updated")
}

// A client that watches too many resources is notified of the first ones that it named.
func TestHTTPListen_WatchesFirst256Addresses(t *testing.T) {
	cfg := workspace(t)
	uris := make([]string, 257)
	for i := range uris {
		uris[i] = fmt.Sprintf("%q", fmt.Sprintf("handoff://workflow/w%d", i))
	}
	listen := modernRequest(7, "subscriptions/listen", `"notifications":{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}`)
	heard := serve(t, cfg, mcp.HTTPConfig{}).join("2026-07-28", "qa").openStream(http.MethodPost, listen)
	require.Contains(t, heard.nextEvent(), "acknowledged")
	for _, i := range []int{256, 255} {
		callAs(t, cfg, "architect", "send_handoff", fmt.Sprintf(`{"to":"qa","task":"Test it","workflow":"w%d"}`, i))
	}
	require.Contains(t, heard.nextEvent(), "handoff://workflow/w255")
}

// The specification requires the acknowledgement first, even if changes come meanwhile.
func TestListen_SendsAcknowledgementFirst(t *testing.T) {
	const sends = 30
	listen := modernRequest(7, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["handoff://inbox/qa"]}`)
	for over, begin := range map[string]func(*testing.T, mcp.Config) (next func() string){
		"stdio": func(t *testing.T, c mcp.Config) func() string {
			cl := connect(t, c)
			cl.send(listen)
			return cl.nextLine
		},
		"HTTP": func(t *testing.T, c mcp.Config) func() string {
			return serve(t, c, mcp.HTTPConfig{}).join("2026-07-28", "qa").startStream(http.MethodPost, listen).nextEvent
		},
	} {
		t.Run(over, func(t *testing.T) {
			for range 5 {
				cfg := workspace(t)
				slow := resultDelayer{cfg.Invoker, "registry_newest", make(chan struct{}), make(chan struct{})}
				c := cfg
				c.Invoker = slow
				next := begin(t, c)
				<-slow.done
				sendWork(t, cfg, sends)
				slow.release <- struct{}{}
				require.Equal(t, "notifications/subscriptions/acknowledged", parse(t, next()).Method)
				for range sends {
					require.Contains(t, next(), "updated")
				}
			}
		})
	}
}

func TestHTTPListen_RespondsAtOnceWithoutAddresses(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	said := s.newClient("qa").openStream(http.MethodPost, modernRequest(7, "subscriptions/listen", `"notifications":{}`)).remainingEvents()
	require.Len(t, said, 2)
	require.Contains(t, said[0], "acknowledged")
	require.Equal(t, "7", string(parse(t, said[1]).ID))
}

func TestHTTPListen_OpensNoStreamForRefusedRequest(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	got := s.newClient("qa").post(modernRequest(7, "subscriptions/listen", `"notifications":7`))
	require.Equal(t, http.StatusBadRequest, got.status)
	require.NotZero(t, parse(t, got.body).Error.Code)
}
