import type { InputValues } from '../protocol/answers.ts'
import type { Fields } from '../protocol/json.ts'
import { objectsIn, toJson } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Person, View } from '../protocol/protocol.ts'
import { type Lookups, stateValues } from '../rules/values/state-values.ts'
import { APP_ID, appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

/** A view as in payloads and Web API responses. */
export function slackView(view: View, values: Record<string, Fields>): Fields {
  return toJson({
    ...view,
    state: { values },
    app_id: APP_ID,
    app_installed_team_id: view.team_id,
    bot_id: appBotIn(view.team_id).botId,
  })
}

export function createLookups(
  { files, offeredOptions, people }: Pick<World, 'files' | 'offeredOptions' | 'people'>,
  me: Person,
): Lookups {
  return {
    findOfferedOption: (actionId, value) => offeredOptions.get(`${actionId}\n${value}`),
    findFile: (id) => {
      const file = files.find(id)
      return file && files.slackFile(file, activeTeamId(me))
    },
    directory: { me, channels: people.channels() },
  }
}

const fileIds = (values: Record<string, Fields>): string[] =>
  Object.values(values)
    .flatMap((byAction) => objectsIn(Object.values(byAction)))
    .flatMap(({ files }) => objectsIn(files))
    .map(({ id }) => String(id))

/**
 * A view as in payloads, with the values that the person entered. The app can then read the files in it. Throws ImpossibleValueError for
 * invalid values.
 */
export function filledView(
  world: Pick<World, 'files' | 'offeredOptions' | 'people'>,
  person: Person,
  view: View,
  entered: InputValues,
): Fields {
  const values = stateValues(view.blocks, entered, createLookups(world, person))
  for (const id of fileIds(values)) world.files.recordReceipt(id, view.team_id)
  return slackView(view, values)
}
