import { Text } from '@mantine/core';
import { formatCount } from '../../shell/format-numbers.js';
import { countText } from '../compose/count-text.js';
import { s } from '../sending/words.js';
import type { Plan } from './plan.js';
import classes from './row-preview.module.css';
import { fillTemplate } from './template.js';
import { b } from './words.js';

const SHOWN = 3;

/** What the first rows become. */
export function RowPreview({ plan, label }: { readonly plan: Plan; readonly label: string }) {
  const { rows, mapping } = plan;
  if (mapping === undefined || rows.length === 0) return null;
  return (
    <section aria-label={b.columns.preview}>
      <Text size="sm" fw={500} mb={6}>
        {label}
      </Text>
      <ol className={classes.rows}>
        {rows.slice(0, SHOWN).map(({ number, cells }) => {
          const { text } = fillTemplate(mapping.text, cells);
          const { segments } = countText(text);
          return (
            <li key={number} className={classes.row}>
              <span className={classes.head}>
                <span className="number">
                  {b.columns.row(formatCount(number))} · {cells[mapping.recipient]?.trim() || '–'}
                </span>
                <span className="number">{s.segments(segments, formatCount(segments))}</span>
              </span>
              <span className={`${classes.text} written`}>{text}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
