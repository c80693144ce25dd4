import type { KnownBlock } from '@slack/types'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { Access } from '../access/access.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import { besideAdmission } from '../access/beside-admission.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { OnlyPermitted } from '../commands/permitted-buttons.ts'
import type { MakeContext } from '../context/make-context.ts'
import { type Explained, explain, problemMessage } from '../replies/explain.ts'
import type { RouteTable } from '../routes/routes.ts'

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

  async function home(place: RequestOrigin): Promise<string> {
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

  /** What was asked for is done and told by now: a Home that cannot be drawn must not look as if it had failed. */
  async function refreshHome({ act: _, ...place }: RequestOrigin): Promise<void> {
    await home(place)
      .catch((error: unknown) => homeProblem(place, explain(error, { reads: true })))
      .catch(() => undefined)
  }

  /** An empty Home says nothing; this one says what the matter is. */
  async function homeProblem(place: RequestOrigin, problem: Explained): Promise<void> {
    await publishHome(place, problemMessage(problem, place.reference).blocks)
  }

  async function publishHome(place: RequestOrigin, blocks: KnownBlock[]): Promise<void> {
    const slack = await clients.of(place)
    await slack.publishHome(place.userId, await bindButtons(place, 'production', blocks))
  }

  return { home, refreshHome, homeProblem }
}
