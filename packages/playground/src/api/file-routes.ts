import type { FastifyInstance, FastifyReply } from 'fastify'
import { isVisibleFile } from '../state/app-access.ts'
import { createCaller } from '../state/installs.ts'
import type { StoredFile } from '../state/stored.ts'
import type { World } from '../state/world.ts'

function sendFile(reply: FastifyReply, file: StoredFile | undefined): FastifyReply {
  if (!file?.bytes) return reply.code(404).type('text/plain').send('There is no such file.')
  return reply
    .headers({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `${file.info.mimetype.startsWith('image/') ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(file.info.name)}`,
    })
    .type(file.info.mimetype)
    .send(file.bytes)
}

/** Registers the file routes: `/upload/v1` and `/files-pri` for the app, and `/_playground/files` for the page. */
export function registerFileRoutes(app: FastifyInstance, world: World): void {
  const { files, installs } = world
  app.post<{ Params: { id: string } }>('/upload/v1/:id', (request, reply) => {
    const file = files.find(request.params.id)
    if (!file || file.complete) return reply.code(404).type('text/plain').send('There is no such upload.')
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    if (file.declaredSize !== null && bytes.length !== file.declaredSize)
      return reply
        .code(400)
        .type('text/plain')
        .send(`Expected ${file.declaredSize} bytes but received ${bytes.length}.`)
    file.bytes = bytes
    file.info.size = file.bytes.length
    return reply.type('text/plain').send(`OK - ${file.bytes.length}`)
  })

  app.get<{ Params: { '*': string } }>('/files-pri/*', (request, reply) => {
    const id = /^[^/]*-(F[A-Z0-9]+)\//.exec(request.params['*'])?.[1] ?? ''
    // Without a valid token, Slack responds with 302 and its sign-in page.
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const install = installs.authenticate(token)
    if (typeof install === 'string')
      return reply
        .code(302)
        .header('location', '/')
        .type('text/html')
        .send('<!DOCTYPE html><title>Sign in</title>')
    const file = files.find(id)
    const isVisible = file && isVisibleFile(world, file, createCaller(install))
    return sendFile(reply, isVisible ? file : undefined)
  })

  app.get<{ Params: { id: string } }>('/_playground/files/:id', (request, reply) =>
    sendFile(reply, files.find(request.params.id)),
  )
}
