import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Min } from 'class-validator';
import type { JsonObject } from './json-body.js';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** Beyond any list that can exist; larger pages are as empty as this one. */
const PAGE_MAX = 1_000_000_000_000;

/** `?page=&limit=` of the lists. A limit over the maximum is clamped, and the effective one is echoed. */
export class PageQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1, example: 1 })
  @IsInt({ message: 'page must be a whole number of at least 1.' })
  @Min(1, { message: 'page must be a whole number of at least 1.' })
  page!: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    default: PAGE_LIMIT_DEFAULT,
    example: PAGE_LIMIT_DEFAULT,
    description: `Items a page; a value over ${PAGE_LIMIT_MAX} is taken as ${PAGE_LIMIT_MAX}.`,
  })
  @IsInt({ message: 'limit must be a whole number of at least 1.' })
  @Min(1, { message: 'limit must be a whole number of at least 1.' })
  limit!: number;

  static from({ page = '1', limit = String(PAGE_LIMIT_DEFAULT) }: JsonObject): PageQuery {
    return Object.assign(new PageQuery(), { page: wholeNumber(page), limit: wholeNumber(limit) });
  }
}

/** A parameter that is given twice is a list, and no number. */
function wholeNumber(parameter: unknown): number {
  return typeof parameter === 'string' && /^[0-9]+$/.test(parameter) ? Number(parameter) : Number.NaN;
}

/** The page asked for, within the bounds that are served. */
export function effectivePage(query: PageQuery): { page: number; limit: number } {
  return { page: Math.min(query.page, PAGE_MAX), limit: Math.min(query.limit, PAGE_LIMIT_MAX) };
}

/** In every paginated response. */
export class Pagination {
  @ApiProperty({ type: 'integer', example: 1 }) page!: number;
  @ApiProperty({ type: 'integer', example: 20 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'Number of items in all pages.', example: 1 }) total!: number;
  @ApiProperty({ type: 'integer', example: 1 }) total_pages!: number;

  static of(page: number, limit: number, total: number): Pagination {
    return { page, limit, total, total_pages: Math.ceil(total / limit) };
  }
}
