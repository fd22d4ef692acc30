import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import classes from './account-link.module.css';

interface Props {
  readonly accountId: string;
  readonly name: string;
  /** Has little room. */
  readonly isShort?: boolean;
}

/** The name of an account, with its id where there is room. */
export function AccountLink({ accountId, name, isShort = false }: Props) {
  return (
    <span className={isShort ? `${classes.account} ${classes.short}` : classes.account}>
      <Anchor component={Link} href={`/accounts/${accountId}`} size="sm" fw={600} className={classes.name ?? ''}>
        {name}
      </Anchor>
      <Text component="span" size="xs" c="dimmed" className="number wide-only">
        {accountId}
      </Text>
    </span>
  );
}
