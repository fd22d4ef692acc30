import { useCallback, useRef, useState } from 'react';
import type { Charset } from './decode-file.js';
import type { FileFault } from './file-fault.js';
import { type ReadFile, readFile } from './read-file.js';

export type FileState =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading'; readonly name: string; readonly share: number }
  | { readonly kind: 'fault'; readonly name: string; readonly fault: FileFault }
  | { readonly kind: 'read'; readonly file: ReadFile };

/** The file of the page: it is read as soon as it is chosen, and again in another character set. */
export function useFile() {
  const [state, setState] = useState<FileState>({ kind: 'none' });
  const chosen = useRef<File>(undefined);
  const reading = useRef<AbortController>(undefined);
  const read = useCallback(async (file: File, charset?: Charset) => {
    reading.current?.abort();
    const stop = new AbortController();
    reading.current = stop;
    chosen.current = file;
    const { name } = file;
    setState({ kind: 'reading', name, share: 0 });
    try {
      const progress = (share: number) => setState({ kind: 'reading', name, share });
      const result = await readFile(file, { progress, signal: stop.signal, ...(charset && { charset }) });
      setState('kind' in result ? { kind: 'fault', name, fault: result } : { kind: 'read', file: result });
    } catch (error) {
      // The file may have been moved, or another one was chosen meanwhile.
      if (!stop.signal.aborted) setState({ kind: 'fault', name, fault: { kind: 'not_text' } });
      else if (reading.current === stop) throw error;
    }
  }, []);
  const choose = useCallback((file: File) => void read(file), [read]);
  const readAs = useCallback((charset: Charset) => void (chosen.current && read(chosen.current, charset)), [read]);
  const clear = useCallback(() => {
    reading.current?.abort();
    chosen.current = undefined;
    setState({ kind: 'none' });
  }, []);
  return { state, choose, readAs, clear };
}
