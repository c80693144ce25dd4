import { startWorld, type World, type WorldOptions } from './world.ts'

export const STATE_SECRET = 'a-state-secret-of-the-tests'

/** Starts a world whose app isn't installed in any workspace yet. */
export function startUninstalledWorld({ environment, ...options }: WorldOptions = {}): Promise<World> {
  return startWorld({
    ...options,
    connected: false,
    access: 'closed',
    environment: {
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: 'playground-client',
      SLACK_CLIENT_SECRET: 'playground-client-secret',
      SLACK_STATE_SECRET: STATE_SECRET,
      ...environment,
    },
  })
}

export type Browser = ReturnType<typeof createBrowser>

/** A minimal browser with one cookie jar per origin. It doesn't follow redirects automatically. */
export function createBrowser() {
  const jars = new Map<string, Map<string, string>>()

  function storeCookies(origin: string, response: Response): void {
    const jar = jars.get(origin) ?? new Map<string, string>()
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...flags] = line.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (flags.some((flag) => /expires=Thu, 01 Jan 1970/i.test(flag))) jar.delete(name)
      else jar.set(name, value)
    }
    jars.set(origin, jar)
  }

  async function visit(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url)
    const cookie = [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } })
    storeCookies(origin, answer)
    return answer
  }

  return {
    visit,
    /** Opens `/slack/install` and decides on Slack's page. Returns the URL that leads back to the app. */
    async decide(
      world: { app: Pick<World['app'], 'url'> },
      installer: string,
      decision: 'allow' | 'deny' = 'allow',
    ): Promise<URL> {
      const start = await visit(`${world.app.url}/slack/install`)
      const authorizeUrl = new URL(start.headers.get('location') ?? '')
      const page = await visit(authorizeUrl)
      if (page.status !== 200) throw new Error(await page.text())
      const body = new URLSearchParams([
        ...authorizeUrl.searchParams,
        ['as', installer],
        ['decision', decision],
      ])
      const decided = await visit(`${authorizeUrl.origin}${authorizeUrl.pathname}`, { method: 'POST', body })
      return new URL(decided.headers.get('location') ?? '')
    },
    /** Completes the installation as an admin of the workspace or organization, such as `T0WORKSHOP U0WSADMIN1`. */
    async install(world: { app: Pick<World['app'], 'url'> }, installer: string): Promise<Response> {
      return visit(await this.decide(world, installer))
    },
  }
}
