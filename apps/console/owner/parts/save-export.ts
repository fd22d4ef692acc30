import { saveFile } from '../../shell/save-file.js';
import { api } from '../session/api.js';

/** Fetches an export with the token of this tab, which a plain link could not carry, and saves it. */
export async function saveExport(path: string, query: Readonly<Record<string, string>>, name: string): Promise<void> {
  const blob = await api.download(path, { query: { ...query, format: 'csv' }, headers: { accept: 'text/csv' } });
  saveFile(blob, name);
}
