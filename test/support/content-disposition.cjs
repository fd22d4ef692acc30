// Jest on Node < 24.9 cannot `require` an ES module, Node itself can. content-disposition is one, and @fastify/static
// (the documentation page and Bull Board) requires it; this hands Jest the module as Node loads it.
const { createRequire } = process.getBuiltinModule('node:module');
module.exports = createRequire(__filename)('content-disposition');
