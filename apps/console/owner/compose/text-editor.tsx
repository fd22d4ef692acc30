import { Input } from '@mantine/core';
import { type ReactNode, type RefObject, useId } from 'react';
import type { Mark } from './find-offenders.js';
import classes from './text-editor.module.css';

interface TextEditorProps {
  readonly label: string;
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly onChange: (text: string) => void;
  readonly error?: ReactNode;
  readonly placeholder?: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/**
 * A field for a text with marks behind it. A copy of the text with the same letters lies under the field: it carries
 * the marks, and gives the field its height.
 */
export function TextEditor({ label, text, marks, onChange, error, placeholder, field }: TextEditorProps) {
  const id = useId();
  return (
    <Input.Wrapper label={label} error={error} id={id} required>
      <div className={classes.editor} data-error={error ? true : undefined}>
        <div className={classes.inner}>
          <div className={`${classes.copy} written`} aria-hidden="true">
            {markedText(text, marks)}
            {'\n'}
          </div>
          <textarea
            ref={field}
            id={id}
            className={classes.field}
            value={text}
            placeholder={placeholder}
            spellCheck
            required
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      </div>
    </Input.Wrapper>
  );
}

function markedText(text: string, marks: readonly Mark[]): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const mark of marks) {
    if (mark.start > end) parts.push(text.slice(end, mark.start));
    parts.push(
      <mark key={mark.start} className={classes.mark}>
        {text.slice(mark.start, mark.end)}
      </mark>,
    );
    end = mark.end;
  }
  parts.push(text.slice(end));
  return parts;
}
