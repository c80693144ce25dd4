import type { KnownBlock } from '@slack/types'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { Asker } from '../../slack/receive/origin.ts'
import type { Access } from '../access/access.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import { besideAdmission } from '../access/beside-admission.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { OnlyPermitted } from '../commands/permitted-buttons.ts'
import type { MakeContext } from '../context/make-context.ts'
import { type Explained, explain, problemMessage } from '../replies/explain.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { RouteTable } from '../routes/routes.ts'

/** Whose Home is drawn again when something changes without them: the last so many who opened theirs, and for so long. */
const MOST_OPEN = 200
const OPEN_MS = 3_600_000
/** How many of one workspace are drawn at once. */
const MOST_REDRAWN = 10

export type HomeTab = ReturnType<typeof createHomeTab>

/** The app's Home tab of one person. */
export function createHomeTab(parts: {
  routes: Pick<RouteTable, 'homeView'>
  access: Access
  ask: MakeContext
  clients: SlackClients
  bindButtons: BindButtons
  onlyPermitted: OnlyPermitted
}) {
  const { routes, access, ask, clients, bindButtons, onlyPermitted } = parts
  const open = new Map<string, { place: Asker; until: number }>()

  async function home(place: Asker): Promise<string> {
    const view = routes.homeView()
    if (!view) return 'nothing'
    const demand = { needs: 'viewer', verb: 'home', reads: true } as const
    const admission = access.admit(place, demand)
    if (isPlainlyForeign(place)) await admission
    const blocks = await besideAdmission(admission, async (admission, signal) => {
      const asked = ask(place, 'production', admission, demand, signal)
      return onlyPermitted.blocks(asked, await view(asked))
    })
    await publishHome(place, blocks)
    return 'home'
  }

  /** Somebody has opened their Home, and is likely to look at it for a while. */
  async function opened(place: Asker): Promise<string> {
    const key = `${place.workspaceId} ${place.userId}`
    open.delete(key)
    open.set(key, { place, until: performance.now() + OPEN_MS })
    const [first] = open.keys()
    if (open.size > MOST_OPEN && first !== undefined) open.delete(first)
    return home(place)
  }

  /** The act is already done and told: a Home that cannot be drawn must not look as if the act had failed. */
  async function refreshHome({ act: _, ...place }: HandledRequest): Promise<void> {
    await home(place)
      .catch((error: unknown) => homeProblem(place, explain(error, { reads: true })))
      .catch(() => undefined)
  }

  /** Draws Home again for those who have recently opened it in this process, because something in it has changed. Never rejects. */
  async function redrawHomes(workspaceId: string): Promise<void> {
    const seen = [...open.values()].filter(
      ({ place, until }) => place.workspaceId === workspaceId && until > performance.now(),
    )
    for (const { place } of seen.slice(-MOST_REDRAWN)) await home(place).catch(() => undefined)
  }

  /** An empty Home says nothing; this one says what the matter is. */
  async function homeProblem(place: Asker, problem: Explained): Promise<void> {
    await publishHome(place, problemMessage(problem, place.reference).blocks)
  }

  async function publishHome(place: Asker, blocks: KnownBlock[]): Promise<void> {
    const slack = await clients.of(place)
    await slack.publishHome(place.userId, await bindButtons(place, 'production', blocks))
  }

  return { opened, refreshHome, homeProblem, redrawHomes }
}
