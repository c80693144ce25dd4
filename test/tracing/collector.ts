import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from '../../bench/parts/listen.ts'

/** A span in OTLP JSON, with its attributes by name. */
export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  failed: boolean
  attributes: Readonly<Record<string, unknown>>
  service: unknown
}

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: CollectedSpan[]
  /** The request bodies received so far. */
  readonly bodies: string[]
  readonly headers: IncomingHttpHeaders[]
  /** Sets how the collector responds to the next requests. */
  behave(behavior: 'accept' | 'refuse' | 'hang'): void
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface OtlpBody {
  resourceSpans?: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[]; status?: { code?: number } })[]
    }[]
  }[]
}

/** Starts a collector for traces (OTLP over HTTP) on a free loopback port. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  let behavior: 'accept' | 'refuse' | 'hang' = 'accept'
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      headers.push(request.headers)
      bodies.push(body)
      if (behavior === 'hang') return
      if (behavior === 'refuse') return void response.writeHead(400).end('planted words of the collector')
      // Cast, because the exporter posts this format.
      spans.push(...readSpans(JSON.parse(body) as OtlpBody))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const url = await listen(server)
  return {
    url,
    spans,
    bodies,
    headers,
    behave: (wanted) => {
      behavior = wanted
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function readSpans({ resourceSpans = [] }: OtlpBody): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId || undefined,
        failed: span.status?.code === 2,
        attributes: readAttributes(span.attributes),
        service: readAttributes(resource.attributes)['service.name'],
      })),
    ),
  )
}

const readAttributes = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
