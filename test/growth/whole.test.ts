import type { Answer, Waiting } from '@signalman/playground/driver'
import { TEXT_LIMITS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { NO_WAIT, UNTIL_FORM } from '../acts/act-kind.ts'
import { alternativeNames, buildRequest, extension, host } from '../features/cert-orders/csr/build-request.ts'
import { openUpload } from '../features/cert-orders/order-helpers.ts'
import { IS_LONG } from '../long.ts'
import { type ProcessWorld, startProcessWorld } from '../process-world.ts'
import { eventOf, MAX_RECORDS } from './answers.ts'
import { fill } from './texts.ts'

const EVENT = '7e57ed00-0000-4000-8000-00000000000a'

/** What a person sends to the app, and what they see at its end. */
interface Input {
  readonly name: string
  readonly until: RegExp
  /** Before the request, while the app has nothing to do. */
  prepare?(world: ProcessWorld): Promise<unknown>
  send(world: ProcessWorld, waiting: Waiting): Promise<Answer>
}

/** As many bytes as a file may have, in so many rows with so many alerts each. */
function largestFile(rows: number, alerts: number): string {
  const bytes = Math.floor((TEXT_LIMITS.fileBytes / rows - 80) / alerts)
  const list = (alert: number) => fill(bytes, (nth) => `a${alert}-${nth}@b.example,`).replace(/[^,]*$/, ';')
  const cell = Array.from({ length: alerts }, (_, nth) => list(nth)).join('')
  const row = (nth: number) => `new-${nth},5,HTTPS,a${nth}.example.com,443,60,"${cell}"\n`
  const header = 'name,customer_id,protocol,target,port,frequency,alerts\n'
  return header + Array.from({ length: rows }, (_, nth) => row(nth)).join('')
}

/** With as many names as it may have. */
function largestRequest(): Uint8Array<ArrayBuffer> {
  const names = Array.from({ length: TEXT_LIMITS.csrNames }, (_, nth) => host(`h${nth}.example.com`))
  const request = (filler: number) =>
    buildRequest({ extensions: [alternativeNames(...names), extension('1.2.3.4', Buffer.alloc(filler))] })
  return new Uint8Array(request(TEXT_LIMITS.csrBytes - request(0).length - 20))
}

const file = (rows: number, alerts: number, until: RegExp): Input => ({
  name: `${rows} rows with ${alerts} alerts`,
  until,
  prepare: ({ slack: { admin } }) => admin.command('/hc', 'import', UNTIL_FORM),
  async send({ slack: { admin } }, waiting) {
    const { id } = await admin.upload('checks.csv', largestFile(rows, alerts), 'text/csv')
    return admin.submit({ 'CSV file': [id] }, waiting)
  },
})
const line = (command: string, text: string, until: RegExp): Input => ({
  ...{ name: `${command} ${text}`, until },
  send: ({ slack: { admin } }, waiting) => admin.command(command, text, waiting),
})

const INPUTS: readonly Input[] = [
  file(5000, 20, /checks\.csv\? This would create 5,000/),
  file(54, 1, /checks\.csv\? This would create 54/),
  file(54, 1800, /checks\.csv\? This would create 54/),
  file(54, 7000, /A file can have 100,000 alerts/),
  {
    name: 'a certificate request',
    until: /This is for h0\.example\.com and 999 more names/,
    prepare: ({ slack: { admin } }) => openUpload(admin),
    async send({ slack: { admin } }, waiting) {
      const { id } = await admin.upload('large.der', largestRequest(), 'application/octet-stream')
      return admin.submit({ 'CSR as a file': [id], Product: '101', Duration: '1 year' }, waiting)
    },
  },
  line('/threat', EVENT, /site\[\.\]example/),
  line('/threat', `export ${EVENT} stix`, /Sent to your DMs/),
  line('/hc', 'list', /100,000 health checks/),
  line('/hc', 'show storefornt-17', /No health check/),
]

/** Asks whether the app is alive until it's told to stop. Returns the answers. */
function askHealth(url: string): () => Promise<ReadonlySet<number>> {
  const statuses = new Set<number>()
  let isStopped = false
  const ask = async () => {
    do statuses.add((await fetch(`${url}/healthz`)).status)
    while (!isStopped)
    return statuses
  }
  const asked = ask()
  return () => {
    isStopped = true
    return asked
  }
}

it.runIf(IS_LONG)(
  'answers the largest of everything with a heap of 200 MB, also after it was killed at it',
  async () => {
    await using world = await startProcessWorld('src/cli/signalman.ts')
    const { admin } = world.slack
    const env = { NODE_OPTIONS: '--max-old-space-size=200', API_TOKEN: world.sandbox.token }
    await world.service.addBulkChecks(100_000)
    await world.service.storeThreat(EVENT, eventOf(MAX_RECORDS))
    let { app, url } = await world.start(env)
    for (const { name, until, prepare, send } of INPUTS)
      for (const isKilled of [false, true, false]) {
        await prepare?.(world)
        const stopAsking = askHealth(url)
        const ended = app.ended.then((code) =>
          Promise.reject(new Error(`${name}: ended with ${code}. ${app.output()}`)),
        )
        await Promise.race([send(world, isKilled ? NO_WAIT : { until }), ended])
        expect(await stopAsking(), name).toEqual(new Set([200]))
        ended.catch(() => undefined)
        await admin.close({ all: true }).catch(() => undefined)
        if (!isKilled) continue
        app.child.kill('SIGKILL')
        await app.ended
        ;({ app, url } = await world.start(env))
      }
  },
)
