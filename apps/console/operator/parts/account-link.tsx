import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import classes from './account-link.module.css';

/** The name of an account, with its id where there is room. */
export function AccountLink({ accountId, name }: { readonly accountId: string; readonly name?: string | undefined }) {
  if (name === undefined) {
    return (
      <Anchor component={Link} href={`/accounts/${accountId}`} size="sm" fw={400}>
        {accountId}
      </Anchor>
    );
  }
  return (
    <span className={classes.account}>
      <Anchor component={Link} href={`/accounts/${accountId}`} size="sm" fw={600} className={classes.name ?? ''}>
        {name}
      </Anchor>
      <Text component="span" size="xs" c="dimmed" className="number wide-only">
        {accountId}
      </Text>
    </span>
  );
}
