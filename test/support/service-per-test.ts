import { afterEach } from '@jest/globals';
import { TestService, type TestServiceOptions } from './service.js';

/**
 * For the tests of a block: how each starts its service, which is closed after it. To be called where hooks are
 * registered.
 *
 * @param defaults what the tests of the block have in common
 */
export function servicePerTest(
  defaults: TestServiceOptions,
): (options?: Partial<TestServiceOptions>) => Promise<TestService> {
  let service: TestService | undefined;
  afterEach(async () => {
    const open = service;
    service = undefined;
    await open?.close();
  });
  return async (options = {}) => {
    service = await TestService.start({ ...defaults, ...options });
    return service;
  };
}
