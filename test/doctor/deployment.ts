import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { listen } from '../../bench/parts/listen.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { SIGNING_SECRET, startWorld, WITHOUT_LAME_DUCK, type World, type WorldOptions } from '../world.ts'

export type Variables = Record<string, string>

export interface Deployment extends AsyncDisposable {
  readonly world: World
  /** Environment variables in which `doctor` finds no problem. */
  readonly variables: Variables
  readonly folder: string
}

/** Starts the app. Returns it with the environment variables that it was started with. */
export async function startDeployment(
  playground: NonNullable<WorldOptions['playground']> = {},
): Promise<Deployment> {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const databaseVariables = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, ENCRYPTION_KEYS: KEY_A }
  const world = started.use(
    await startWorld({ environment: databaseVariables, playground, access: 'closed', ...WITHOUT_LAME_DUCK }),
  )
  const { sandbox, app, playground: slack } = world
  const variables = {
    ...databaseVariables,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_API_URL: slack.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    PUBLIC_URL: app.url,
    PORT: new URL(app.url).port,
    HOST: '127.0.0.1',
  }
  const resources = started.move()
  return { world, variables, folder, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

export const startOtherServer = (status: number, headers: Record<string, string> = {}) =>
  serve((_, response) => {
    response.writeHead(status, { location: 'https://elsewhere.example.com', ...headers }).end('{}')
  })

/** Starts a server that responds with what `respond` returns for the path: an object as JSON, or a string as HTML. */
export const startAnsweringServer = (respond: (url: string) => object | string) =>
  serve((request, response) => {
    const answer = respond(request.url ?? '')
    const type = typeof answer === 'string' ? 'text/html' : 'application/json'
    response
      .writeHead(200, { 'content-type': type })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  const url = await listen(server)
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
