import { Button, Progress, Text, VisuallyHidden } from '@mantine/core';
import { type DragEvent, useId, useRef, useState } from 'react';
import { Icon } from '../../shell/icons.js';
import classes from './file-drop.module.css';
import { b } from './words.js';

const TYPES = '.csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values';

interface FileDropProps {
  readonly onFile: (file: File) => void;
  /** Of the file that is being read. */
  readonly reading?: { readonly name: string; readonly share: number } | undefined;
}

/** A place to drop a file, and a button for those who choose it. */
export function FileDrop({ onFile, reading }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is for keyboards.
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <span className={classes.icon}>
        <Icon name="statements" size={30} />
      </span>
      {reading === undefined ? (
        <>
          <Text fw={600}>{b.drop.title}</Text>
          <Text size="sm" c="dimmed" maw="30rem">
            {b.drop.hint}
          </Text>
          <FileButton label={b.drop.choose} onFile={onFile} />
        </>
      ) : (
        <div className={classes.reading} role="status">
          <Text>{b.drop.reading(reading.name)}</Text>
          <Progress
            value={reading.share * 100}
            mt="sm"
            transitionDuration={0}
            aria-label={b.drop.reading(reading.name)}
          />
        </div>
      )}
    </div>
  );
}

interface FileButtonProps {
  readonly label: string;
  readonly onFile: (file: File) => void;
  readonly isQuiet?: boolean;
}

export function FileButton({ label, onFile, isQuiet = false }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <>
      <VisuallyHidden>
        <label htmlFor={id}>{b.drop.label}</label>
        <input
          id={id}
          ref={input}
          type="file"
          accept={TYPES}
          tabIndex={-1}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            // The same file, once it was mended, is chosen again.
            event.currentTarget.value = '';
            if (file !== undefined) onFile(file);
          }}
        />
      </VisuallyHidden>
      <Button
        {...(isQuiet && { variant: 'default', size: 'xs' })}
        mt={isQuiet ? 0 : 'xs'}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
    </>
  );
}
