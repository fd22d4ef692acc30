-- accept_messages() for one account, as gateways of version 0.2 call it while new ones start: a row for each request.
-- The next release drops it.
create or replace function accept_messages(
  p_account_id bigint, p_again boolean, p_valid_for interval, p_sweep_after interval,
  p_totals bigint[], p_counts integer[], p_keys text[], p_fingerprints bytea[],
  p_request integer[], p_ids uuid[], p_recipients text[], p_destinations text[], p_messages text[],
  p_extended boolean[], p_segments smallint[], p_prices bigint[]
) returns table (verdict text, first_sequence bigint, order_count integer, available bigint, retry_after_ms integer)
language sql as $$
  select coalesce(v.verdict, 'accepted'), coalesce(v.first_sequence, 0), coalesce(v.order_count, u.count),
         coalesce(v.available, 0), coalesce(v.retry_after_ms, 0)
    from unnest(p_counts) with ordinality as u(count, n)
    left join accept_messages(
      array_fill(p_account_id, array[cardinality(p_counts)]), p_again, false, p_valid_for, p_sweep_after,
      p_totals, p_counts,
      (select array_agg(c.count > 1 order by c.n) from unnest(p_counts) with ordinality as c(count, n)),
      p_keys, p_fingerprints, '{}', '{}', p_request, p_ids, p_recipients, p_destinations, p_messages,
      p_extended, p_segments, p_prices, '{}', '{}', '{}', '{}', '{}') v on v.request = u.n
   order by u.n
$$;
