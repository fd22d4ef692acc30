import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';

/** The name of an account, with its id where there is room. */
export function AccountLink({ accountId, name }: { readonly accountId: string; readonly name?: string | undefined }) {
  return (
    <>
      <Anchor component={Link} href={`/accounts/${accountId}`} size="sm" fw={name === undefined ? 400 : 600}>
        {name ?? accountId}
      </Anchor>
      {name !== undefined && (
        <Text component="span" size="xs" c="dimmed" className="number wide-only">
          {/* No margin: after a name in Arabic, the id stands at its left. */}
          {`\u2002${accountId}`}
        </Text>
      )}
    </>
  );
}
