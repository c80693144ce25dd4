import type { FastifyInstance } from 'fastify'
import { isFields, parseJson } from './json.ts'
import type { Fault, WeatherAnswer, WeatherReport } from './protocol.ts'
import { Refused, type Slack } from './slack.ts'

const MOST_REQUESTS = 60

interface SlackPattern {
  id: string
  title: string
  text: string
  faults: readonly Fault[]
}

const ANYTHING = '*'

/** What Slack itself can be made to do to the app. */
const SLACK: readonly SlackPattern[] = [
  {
    id: 'slack-limit',
    title: 'Rate-limit the app',
    text: 'Slack answers its next 3 calls with 429, try again in 2 s.',
    faults: [{ method: ANYTHING, kind: 'status', status: 429, retryAfter: 2, times: 3 }],
  },
  {
    id: 'slack-lost',
    title: 'Lose an answer of Slack',
    text: 'Slack does the next call, and its answer is lost on the way.',
    faults: [{ method: ANYTHING, kind: 'drop-reply' }],
  },
  {
    id: 'slack-slow',
    title: 'Slow Slack down',
    text: 'Slack takes 4 s for each of the next 5 calls.',
    faults: [{ method: ANYTHING, kind: 'delay', ms: 4000, times: 5 }],
  },
]
const CALM = { id: 'calm', title: 'Calm', text: 'Everything is well again.' }

type Parts = Pick<Slack, 'faults' | 'weather'>

async function report({ weather }: Parts): Promise<WeatherReport> {
  const shown = ({ id, title, text }: { id: string; title: string; text: string }) => ({ id, title, text })
  const requests = weather ? await weather.requests() : []
  return {
    sources: [
      ...(weather ? [{ name: weather.name, patterns: weather.patterns.map(shown) }] : []),
      { name: 'Slack', patterns: [...SLACK, CALM].map(shown) },
    ],
    requests: requests.slice(-MOST_REQUESTS),
  }
}

async function play({ faults, weather }: Parts, id: unknown): Promise<WeatherAnswer> {
  const slack = SLACK.find((one) => one.id === id)
  if (slack) {
    faults.replace([...faults.list().filter(({ times = 1 }) => times > 0), ...slack.faults])
    return { ok: true, text: slack.text }
  }
  if (id === CALM.id) faults.replace([])
  const pattern = weather?.patterns.find((one) => one.id === id)
  if (pattern) return { ok: true, text: await pattern.play() }
  if (id === CALM.id) return { ok: true, text: CALM.text }
  throw new Refused('no_such_weather', `There is no weather "${String(id)}" here.`)
}

/** What can go wrong around the app, beside the conversation: `GET` and `POST /_playground/weather`. */
export function weatherRoutes(app: FastifyInstance, slack: Parts): void {
  const failed = (error: unknown) =>
    error instanceof Refused
      ? { ok: false, error: error.code, message: error.message }
      : { ok: false, error: 'weather_failed', message: `The service did not do it: ${String(error)}` }
  app.get('/_playground/weather', async (_request, reply) => {
    try {
      return await report(slack)
    } catch (error) {
      return reply.code(400).send(failed(error))
    }
  })
  app.post('/_playground/weather', async (request, reply) => {
    try {
      const body = parseJson(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
      return await play(slack, isFields(body) ? body.id : undefined)
    } catch (error) {
      return reply.code(400).send(failed(error))
    }
  })
}
