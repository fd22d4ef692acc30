import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { JsonObject } from '../http/json-body.js';
import { FILTER_NAMES, MessageFilters } from './messages-query.js';

const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

function FormatParameter(): PropertyDecorator {
  const description = '`csv`: RFC 4180 with a line of names. `ndjson`: one JSON object a line, as in the list.';
  return (target, property) => {
    ApiPropertyOptional({ enum: [...EXPORT_FORMATS], default: 'csv', description })(target, property);
    IsIn(EXPORT_FORMATS, { message: `format must be one of ${EXPORT_FORMATS.join(', ')}.` })(target, property);
  };
}

/** The query of an export of everything. */
export class ExportQuery {
  @FormatParameter() format!: ExportFormat;

  static readonly fields = ['format'];

  static from({ format = 'csv' }: JsonObject): ExportQuery {
    return Object.assign(new ExportQuery(), { format });
  }
}

/** The query of an export of messages, with the filters of the list. */
export class MessagesExportQuery extends MessageFilters {
  @FormatParameter() format!: ExportFormat;

  static readonly fields = ['format', ...FILTER_NAMES];

  static from(sent: JsonObject): MessagesExportQuery {
    const { format = 'csv' } = sent;
    return Object.assign(MessageFilters.fill(new MessagesExportQuery(), sent), { format });
  }
}
