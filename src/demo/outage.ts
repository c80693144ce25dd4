import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox'

const CHECKS = '/healthcheck/v1/healthchecks'
/** What falls; the checks that flip by themselves are not watched, or the channel would tell of little else. */
const FALLS = 'Shop checkout'
const WATCH =
  'watch --not "Outlet stock feed" --not "Media streaming edge 2" --not "Shop payments callback" --not "Group wiki"'

/** The playground's admin has #operations watched, as a person would. */
export async function watchOperations({ admin }: Driver): Promise<void> {
  await admin.command('/hc', WATCH, { channel: 'operations' })
}

/** One check falls a little later and recovers by itself: its card in #operations comes, and changes. */
export function playOutage(
  { productionUrl, token }: Sandbox,
  { afterMs, forMs }: { afterMs: number; forMs: number },
): Disposable {
  const timers: NodeJS.Timeout[] = []
  const play = (inMs: number, method: string, body?: object): void => {
    const timer = setTimeout(() => void hold(productionUrl, token, method, body).catch(() => undefined), inMs)
    timers.push(timer.unref())
  }
  play(afterMs, 'PUT', { status: 'UNHEALTHY' })
  play(afterMs + forMs, 'PUT', { status: 'HEALTHY' })
  return { [Symbol.dispose]: () => timers.forEach(clearTimeout) }
}

/** A sandbox that is going, or a check that somebody has deleted meanwhile, ends the play. */
async function hold(url: string, token: string, method: string, body?: object): Promise<void> {
  const listed = await fetch(`${url}${CHECKS}?name=${encodeURIComponent(FALLS)}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(5000),
  })
  // The sandbox's own interface, whose shapes its tests hold.
  const { data } = (await listed.json()) as { data: { results: { uuid: string }[] } }
  const [check] = data.results
  if (!check) return
  await fetch(`${url}/_sandbox/health-checks/${check.uuid}/status`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(5000),
  })
}
