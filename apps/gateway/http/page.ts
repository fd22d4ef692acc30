import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Min, ValidateBy, type ValidationArguments } from 'class-validator';
import { type Cursor, cursorText, parseCursor } from './cursor.js';
import type { FaultCode } from './error-catalogue.js';
import { IfGiven } from './if-given.js';
import type { JsonObject } from './json-body.js';
import type { FieldFault } from './problem.js';

const PAGE_LIMIT_DEFAULT = 20;
const PAGE_LIMIT_MAX = 100;
/** Beyond any list that can exist; every larger page is empty too. */
const PAGE_MAX = 1_000_000_000_000;

const aCount = { message: '$property must be a whole number of at least 1.' };

/** The query of an endpoint without parameters. */
export class NoQuery {
  static readonly fields: readonly string[] = [];

  static from(): NoQuery {
    return new NoQuery();
  }
}

/** The same beside a body, or a path with a rule; the faults of all are answered together. */
export class NoQueryBesideBody extends NoQuery {
  static readonly keepsFaults = true;
  faults?: readonly FieldFault[];
}

/** What decides about a page, in every list. */
interface Paged {
  readonly page: number;
  readonly limit: number;
  readonly pageGiven?: unknown;
  readonly place?: Cursor | undefined;
}

export function PageParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      default: 1,
      example: 1,
      description: 'The number of the page, from 1.',
    }),
    IsInt(aCount),
    Min(1, aCount),
  );
}

/** A limit over the maximum is clamped, and the effective one is echoed. */
export function LimitParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      default: PAGE_LIMIT_DEFAULT,
      example: PAGE_LIMIT_DEFAULT,
      description: `Items a page; a value over ${PAGE_LIMIT_MAX} is taken as ${PAGE_LIMIT_MAX}.`,
    }),
    IsInt(aCount),
    Min(1, aCount),
  );
}

export function CursorParameter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: String,
      description: 'The `next` of another page, with the same filters. Excludes `page`; new items shift nothing.',
    }),
    IfGiven(),
    Rule<Paged>(({ pageGiven }) => pageGiven === undefined, 'and page exclude each other.'),
    Rule<Paged>(({ place }) => place !== undefined, 'must be the next of a page of this list, with the same filters.'),
  );
}

/** A rule of one parameter that looks at the whole query; the sentence follows the name of the parameter. */
export function Rule<Query>(isKept: (query: Query) => boolean, sentence: string, code?: FaultCode): PropertyDecorator {
  return ValidateBy(
    {
      name: sentence,
      validator: {
        validate: (_value: unknown, rule?: ValidationArguments) => isKept(rule?.object as Query),
        defaultMessage: (rule?: ValidationArguments) => `${rule?.property} ${sentence}`,
      },
    },
    { context: { code } },
  );
}

/**
 * The fields of a query that decide about its page.
 *
 * @param list everything that decides which items the list has
 */
export function pageFields({ page, limit = String(PAGE_LIMIT_DEFAULT), cursor }: JsonObject, list: string) {
  return {
    page: wholeNumber(page ?? '1'),
    limit: wholeNumber(limit),
    cursor,
    pageGiven: page,
    place: typeof cursor === 'string' ? parseCursor(list, cursor) : undefined,
  };
}

function wholeNumber(parameter: unknown): unknown {
  if (typeof parameter !== 'string') return parameter;
  return /^[0-9]+$/.test(parameter) ? Number(parameter) : Number.NaN;
}

/** The page that is asked for, within the served limits; `before`: only items with lower numbers. */
export function wantedPage(query: Paged): { page: number; limit: number; before: number | undefined } {
  const { page, limit } = effectivePage(query);
  return { page: query.place?.page ?? page, limit, before: query.place?.before };
}

/** `?page=&limit=` of a list that goes on by page numbers only. */
export class PageQuery {
  @PageParameter() page!: number;
  @LimitParameter() limit!: number;

  static readonly fields = ['page', 'limit'];

  static from({ page = '1', limit = String(PAGE_LIMIT_DEFAULT) }: JsonObject): PageQuery {
    return Object.assign(new PageQuery(), { page: wholeNumber(page), limit: wholeNumber(limit) });
  }
}

/** `?page=&limit=&cursor=` of a list without filters. Its `filterText` is the name of the list. */
class CursorQuery {
  @PageParameter() page!: number;
  @LimitParameter() limit!: number;
  @CursorParameter() cursor?: string | undefined;
  pageGiven?: unknown;
  place?: Cursor | undefined;

  static readonly fields = ['page', 'limit', 'cursor'];
}

export class DepositsQuery extends CursorQuery {
  get filterText(): string {
    return 'deposits';
  }

  static from(sent: JsonObject): DepositsQuery {
    const query = new DepositsQuery();
    return Object.assign(query, pageFields(sent, query.filterText));
  }
}

export class LedgerQuery extends CursorQuery {
  get filterText(): string {
    return 'ledger';
  }

  static from(sent: JsonObject): LedgerQuery {
    const query = new LedgerQuery();
    return Object.assign(query, pageFields(sent, query.filterText));
  }
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

  /** @param list as for `pageFields` */
  static after(
    { page, limit }: { readonly page: number; readonly limit: number },
    found: { readonly total: number; readonly next: number | undefined; readonly isCapped?: boolean },
    list: string,
  ): CursorPagination {
    const { total, next: before, isCapped = false } = found;
    return {
      ...Pagination.of(page, limit, total),
      next: before === undefined ? null : cursorText(list, { before, page: page + 1, total, isCapped }),
      total_is_capped: isCapped,
    };
  }
}
