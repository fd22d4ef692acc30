-- The checks of test mode (ADR 37). verify-balances.sql says how checks work.

-- check sandboxes: each sandbox has its account, with its currency, and only the sandbox's carrier had test messages
select s.account_id, 'sandbox' as subject,
       format('its currency is %s; that of account %s is %s', s.currency, -s.account_id,
              coalesce(a.currency, 'unknown'))
         as detail
  from account s left join account a on a.account_id = -s.account_id
 where s.account_id < 0 and a.currency is distinct from s.currency
union all
select o.account_id, 'message ' || o.id, format('a test message, went to carrier %s', s.carrier_id)
  from message_order o join segment s on s.message_id = o.id where o.account_id < 0 and s.carrier_id > 0
union all
select o.account_id, 'message ' || o.id, 'a real message, went to the sandbox'
  from segment s join message_order o on o.id = s.message_id where s.carrier_id < 0 and o.account_id > 0;
