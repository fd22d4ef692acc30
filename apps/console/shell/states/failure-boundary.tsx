import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { words } from '../words.js';

/** What a page shows instead of nothing when its code fails. */
export class Failure extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Stack p="xl" align="flex-start" role="alert">
        <Title order={1}>{words.failure.title}</Title>
        <Text>{this.state.error instanceof Error ? this.state.error.message : String(this.state.error)}</Text>
        <Button onClick={() => location.reload()}>{words.failure.reload}</Button>
      </Stack>
    );
  }
}
