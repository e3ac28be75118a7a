with told as (update handoff_node set taken = taken + 1
	where id <> $2 and id = (select node from handoff_workspace where name = $1))
insert into handoff_workspace as w (name, epoch, node, note) values ($1, 1, $2, $3)
on conflict (name) do update set epoch = w.epoch + 1, node = $2, note = $3
where w.epoch = $4 and ($5 or w.note is null or w.node = $2 or not exists (
	select from handoff_node n where n.id = w.node and n.seen > clock_timestamp() - $6 * interval '1 second'
	and exists (select from pg_stat_activity where application_name = 'handoff ' || w.node)))
returning id, epoch, folded
