import type { AppLink } from '../delivery/app-link.ts'
import { sendEvent } from '../delivery/events.ts'
import { slackView } from '../payloads/view.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { findActor } from '../state/actors.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

/** A person opens the app's Home tab: sends `app_home_opened`. */
export function openHome(world: World, link: AppLink, post: PostBody<'home'>): Promise<Outcome> {
  const { people, views } = world
  const person = findActor(world, post.user)
  const home = views.home(person.id)
  return sendEvent(world, link, 'app_home_opened', person.id, {
    user: person.id,
    channel: people.openDirectMessage([person.id, appBotIn(activeTeamId(person)).userId]).id,
    tab: 'home',
    ...(home && { view: slackView(home, {}) }),
  })
}
