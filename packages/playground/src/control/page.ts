import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Where `npm run page` builds the page. */
const DIST = join(import.meta.dirname, '../web/dist')
const NOT_BUILT = "The page isn't built yet. Run `npm run page`, then reload."
const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The names of these files contain a hash of their content. */
const HASHED_ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

async function sendAsset(reply: FastifyReply, name: string, headers = {}): Promise<FastifyReply> {
  const path = normalize(join(DIST, name))
  if (!path.startsWith(DIST + sep)) return reply.code(404).send('Not found')
  try {
    const bytes = await readFile(path)
    return await reply
      .headers({ ...SECURITY_HEADERS, ...headers })
      .type(CONTENT_TYPES[extname(path)] ?? 'application/octet-stream')
      .send(bytes)
  } catch {
    const isUnbuilt = name === 'index.html'
    return reply
      .code(isUnbuilt ? 503 : 404)
      .type('text/plain; charset=utf-8')
      .send(isUnbuilt ? NOT_BUILT : 'Not found')
  }
}

/** Serves the built page and its assets. */
export function registerPage(app: FastifyInstance): void {
  app.get('/', (_request, reply) => sendAsset(reply, 'index.html'))
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    sendAsset(reply, `assets/${request.params['*']}`, HASHED_ASSET_HEADERS),
  )
  app.get<{ Params: { name: string } }>('/:name', (request, reply) => sendAsset(reply, request.params.name))
}
