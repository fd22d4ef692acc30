drop function if exists conclude_others(uuid[], integer[], boolean[], integer[], text[], text, interval);
