import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Min, type ValidationArguments } from 'class-validator';
import type { JsonObject } from './json-body.js';
import type { FieldFault } from './problem.js';
import { unknownNames } from './unknown-fields.js';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** Beyond any list that can exist; every larger page is empty too. */
const PAGE_MAX = 1_000_000_000_000;

/** A repeated parameter is an array; nobody knows which of its values was meant. */
const aCount = {
  message: ({ property, value }: ValidationArguments) =>
    Array.isArray(value) ? `${property} must be given once.` : `${property} must be a whole number of at least 1.`,
};

/** The query of an endpoint without parameters. */
export class NoQuery {
  static from(): NoQuery {
    return new NoQuery();
  }

  static unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, [], 'query parameter');
  }
}

/** The same for an endpoint with a body; the faults of both are answered together. */
export class NoQueryBesideBody extends NoQuery {
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];
}

/** `?page=&limit=` of the lists. A limit over the maximum is clamped, and the effective one is echoed. */
export class PageQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1, example: 1 })
  @IsInt(aCount)
  @Min(1, aCount)
  page!: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    default: PAGE_LIMIT_DEFAULT,
    example: PAGE_LIMIT_DEFAULT,
    description: `Items a page; a value over ${PAGE_LIMIT_MAX} is taken as ${PAGE_LIMIT_MAX}.`,
  })
  @IsInt(aCount)
  @Min(1, aCount)
  limit!: number;

  static from({ page = '1', limit = String(PAGE_LIMIT_DEFAULT) }: JsonObject): PageQuery {
    return Object.assign(new PageQuery(), { page: wholeNumber(page), limit: wholeNumber(limit) });
  }

  static unknownNames(sent: JsonObject): readonly FieldFault[] {
    return unknownNames(sent, ['page', 'limit'], 'query parameter');
  }
}

/** An array stays as it is, so that the rule reports it. */
export function wholeNumber(parameter: unknown): unknown {
  if (typeof parameter !== 'string') return parameter;
  return /^[0-9]+$/.test(parameter) ? Number(parameter) : Number.NaN;
}

/** The requested page, within the served limits. */
export function effectivePage(query: PageQuery): { page: number; limit: number } {
  return { page: Math.min(query.page, PAGE_MAX), limit: Math.min(query.limit, PAGE_LIMIT_MAX) };
}

/** Part of every paginated response. */
export class Pagination {
  @ApiProperty({ type: 'integer', example: 1 }) page!: number;
  @ApiProperty({ type: 'integer', example: 20 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'Number of items in all pages.', example: 1 }) total!: number;
  @ApiProperty({ type: 'integer', example: 1 }) total_pages!: number;

  static of(page: number, limit: number, total: number): Pagination {
    return { page, limit, total, total_pages: Math.ceil(total / limit) };
  }
}

/** The same for a list that goes on by cursors as well. */
export class CursorPagination extends Pagination {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Give it as `cursor` for the page that follows. Null on the last page. A page of filtered messages may be short, ' +
      'even empty, and still have one.',
    example: null,
  })
  next!: string | null;
  @ApiProperty({
    description: 'There may be more items than `total`: of filtered messages at most 1,000 are counted.',
    example: false,
  })
  total_is_capped!: boolean;
}
