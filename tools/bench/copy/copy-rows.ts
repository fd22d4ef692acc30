import pg from 'pg';

/** What node-postgres hands to a query that the server asks for rows; its types leave it out. */
interface CopyConnection {
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
}

/** `copy ... from stdin` with rows in the text format (PostgreSQL, "COPY"), in one piece and one transaction. */
class CopyQuery extends pg.Query {
  constructor(
    sql: string,
    private readonly block: Buffer, // `rows` is taken: node-postgres means the size of a portal by it
    onEnd: (error: Error | undefined) => void,
  ) {
    super(sql, onEnd);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.block);
    connection.endCopyFrom();
  }
}

/** @throws Error when the server refuses a row; none of them is there then */
export function copyRows(client: pg.Client, sql: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(sql, rows, (error) => (error ? reject(error) : resolve())));
  });
}

/** One value of a row in the text format. */
export function copyValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
