import { Radio, Stack } from '@mantine/core';
import type { Role } from '../session/session.js';
import { t } from '../words.js';
import { ROLES } from './operator.js';

export function RoleChoice({ role, onChange }: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  return (
    <Radio.Group label={t.people.role} value={role} onChange={(value) => onChange(value as Role)}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((one) => (
          <Radio key={one} value={one} label={t.roles[one]} description={t.rolesAbout[one]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
