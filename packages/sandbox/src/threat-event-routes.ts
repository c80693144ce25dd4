import type { Server } from './http.ts'
import { drawScreenshot } from './png.ts'
import { Refusal } from './refusal.ts'
import { ORIGIN, readDomain, type ThreatEvents } from './threat-events.ts'

interface ById {
  Params: { id: string }
}

/** Adds routes for the details of a threat event (not wrapped in `data`), and the screenshot and page source that they link to. */
export function addThreatEventRoutes(server: Server, events: ThreatEvents, origin: () => string): void {
  const findOrThrow = (id: string) => {
    const event = events.find(id)
    if (!event) throw new Refusal(404, `There is no threat event ${id}.`)
    return event
  }

  server.get<ById>('/cti/v2/events/:id', async ({ params }, reply) => {
    const { body, seeded } = findOrThrow(params.id)
    const bytes = Buffer.from(body)
    reply.type('application/json; charset=utf-8')
    return reply.send(seeded ? Buffer.from(bytes.toString('utf8').replaceAll(ORIGIN, origin())) : bytes)
  })

  server.get<ById>('/cti/v2/resources/:id/screenshot.png', async ({ params }, reply) => {
    findOrThrow(params.id)
    return reply.type('image/png').send(drawScreenshot(params.id))
  })

  server.get<ById>('/cti/v2/resources/:id/source', async ({ params }, reply) => {
    const domain = readDomain(findOrThrow(params.id).body) ?? 'unknown'
    // As plain text, because a browser must not render a hostile page.
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
