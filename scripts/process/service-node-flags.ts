/**
 * Flags of Node for gateways and workers. The objects of a request or a batch live for some milliseconds. With V8's 16
 * MB for young objects, many of them are copied and promoted before they die, which is a third of a gateway's time
 * under batches.
 */
export const SERVICE_NODE_FLAGS = ['--max-semi-space-size=64'] as const;
