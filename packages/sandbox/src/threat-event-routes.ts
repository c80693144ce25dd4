import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from './http.ts'
import { HttpError } from './http-error.ts'
import { ORIGIN_PLACEHOLDER, readDomain, type ThreatEventStore } from './threat-event-store.ts'

/** A sign-in page, 640 × 400: the screenshot of every event. */
const SCREENSHOT = readFileSync(join(import.meta.dirname, 'seed/screenshot.png'))

interface ById {
  Params: { id: string }
}

/** Adds the routes for a threat event's details, which aren't wrapped in `data`, and for the screenshot and page source they link to. */
export function addThreatEventRoutes(server: Server, events: ThreatEventStore, origin: () => string): void {
  const findOrThrow = (id: string) => {
    const event = events.find(id)
    if (!event) throw new HttpError(404, `There is no threat event ${id}.`)
    return event
  }

  server.get<ById>('/cti/v2/events/:id', async ({ params }, reply) => {
    const { body, seeded } = findOrThrow(params.id)
    const bytes = Buffer.from(body)
    reply.type('application/json; charset=utf-8')
    return reply.send(
      seeded ? Buffer.from(bytes.toString('utf8').replaceAll(ORIGIN_PLACEHOLDER, origin())) : bytes,
    )
  })

  server.get<ById>('/cti/v2/resources/:id/screenshot.png', async ({ params }, reply) => {
    findOrThrow(params.id)
    return reply.type('image/png').send(SCREENSHOT)
  })

  server.get<ById>('/cti/v2/resources/:id/source', async ({ params }, reply) => {
    const domain = readDomain(findOrThrow(params.id).body) ?? 'unknown'
    // Sent as plain text, so that no browser renders the hostile page.
    return reply.type('text/plain; charset=utf-8').send(pageSource(domain))
  })
}

const pageSource = (domain: string): string => `<!doctype html>
<html lang="en">
<head><title>Sign in</title><!-- kit 4.2, collected from ${domain.replaceAll('--', '')} --></head>
<body>
<form action="/collect.php" method="post">
<label>Email <input name="login"></label>
<label>Password <input name="secret" type="password"></label>
<button>Continue</button>
</form>
<script>document.forms[0].addEventListener('submit', () => navigator.sendBeacon('/log'))</script>
</body>
</html>
`
