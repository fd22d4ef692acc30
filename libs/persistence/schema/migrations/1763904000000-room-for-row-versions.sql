-- A claim changes all orders of a page in one transaction. With 30 % of a page free, one in three of the new row versions
-- went to another page, and so into every index. With more room all of them stay (HOT updates). It counts for new pages.
alter table message_order set (fillfactor = 45);
alter table segment set (fillfactor = 50);
