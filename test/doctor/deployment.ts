import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listening } from '../../bench/parts/listening.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { MANIFEST } from '../manifest.ts'
import { SIGNING_SECRET, startWorld, type World } from '../world.ts'

export type Variables = Record<string, string>

export interface Deployment extends AsyncDisposable {
  readonly world: World
  /** With which nothing is wrong. */
  readonly variables: Variables
  readonly folder: string
}

/** The app as it runs somewhere, and the variables that it was started with. `manifest` changes what is installed. */
export async function startDeployment(
  manifest: (text: string) => string = (text) => text,
): Promise<Deployment> {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const manifestPath = join(folder, 'manifest.yml')
  writeFileSync(manifestPath, manifest(readFileSync(MANIFEST, 'utf8')))
  const stored = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, ENCRYPTION_KEYS: KEY_A }
  const world = started.use(await startWorld({ environment: stored, playground: { manifestPath } }))
  const { playground, sandbox, app } = world
  const variables = {
    ...stored,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    PUBLIC_URL: app.url,
    PORT: new URL(app.url).port,
    HOST: '127.0.0.1',
  }
  const everything = started.move()
  return { world, variables, folder, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

/** Something else than the app, which answers everything with this status. */
export async function startOther(status: number, headers: Record<string, string> = {}) {
  const server = createServer((_, response) => {
    response.writeHead(status, { location: 'https://elsewhere.example.com', ...headers }).end('{}')
  })
  const url = await listening(server)
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
