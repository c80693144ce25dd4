import type { FastifyInstance } from 'fastify'
import { findPicture } from '../state/pictures.ts'

/** Serves `/avatars/…`, the images of people, the app, and workspaces. As in Slack, they are public. */
export function registerPictures(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/avatars/:name', (request, reply) => {
    const picture = findPicture(request.params.name)
    return picture ? reply.type('image/png').send(picture) : reply.code(404).send('Not found')
  })
}
