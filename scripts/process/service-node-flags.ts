/**
 * Flags of Node for gateways and workers. What a request or a batch of messages needs lives for some milliseconds; with V8's
 * 16 MB for young objects much of it is copied and promoted before it dies (a third of a gateway's time under batches).
 */
export const SERVICE_NODE_FLAGS = ['--max-semi-space-size=64'] as const;
