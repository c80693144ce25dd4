import { useState } from 'react'
import { activeTeamId } from '../protocol/people.ts'
import type { Person, Workspace } from '../protocol/protocol.ts'
import { Avatar } from './chat/avatar.tsx'
import { usePage } from './page.ts'
import { shownName } from './people.ts'

const ROLES = {
  member: '',
  admin: 'admin',
  guest: 'guest',
  foreign: 'other organization',
  bot: 'app',
}

function personLabel(person: Person): string {
  const { role, deleted } = person
  const name = shownName(person)
  const note = deleted ? 'deactivated' : ROLES[role]
  return note ? `${name} (${note})` : name
}

function workspaceLabel({ name, organization, installed }: Workspace): string {
  const notes = [organization?.name, installed ? undefined : 'app not installed'].filter(Boolean)
  return notes.length > 0 ? `${name} (${notes.join(', ')})` : name
}

/** How many people are enough for a host's story, before “More people…”. */
const SHORT_LIST = 2
const MORE = 'more'

/**
 * Menus to choose the workspace and the person to act as. Changing the workspace selects its first person. If the host has panels, there
 * are two people to choose from, and the others on request.
 */
export function PersonPicker({ onSwitch }: { onSwitch: (user: string) => void }) {
  const { state } = usePage()
  const { me, actors, people, workspaces, panels = [] } = state.snapshot
  const [showsAll, setShowsAll] = useState(false)
  const workspaceId = activeTeamId(me)
  const selectable = people.filter(({ id }) => actors.includes(id))
  const peopleInWorkspace = selectable.filter((person) => activeTeamId(person) === workspaceId)
  const fewPeople = peopleInWorkspace.slice(0, SHORT_LIST)
  const isShort = panels.length > 0 && !showsAll && fewPeople.some(({ id }) => id === me.id)
  const switchWorkspace = (id: string) => {
    const firstPerson = selectable.find((person) => activeTeamId(person) === id && !person.deleted)
    if (firstPerson) onSwitch(firstPerson.id)
  }
  return (
    <div className="acting">
      {!isShort && (
        <label>
          <span className="acting-label">Workspace</span>
          <select value={workspaceId} onChange={(event) => switchWorkspace(event.currentTarget.value)}>
            {workspaces.map((workspace) => (
              <option key={workspace.id} value={workspace.id}>
                {workspaceLabel(workspace)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="acting-person">
        <Avatar user={me.id} />
        <label>
          <span className="acting-label">Acting as</span>
          <select
            value={me.id}
            onChange={({ currentTarget: { value } }) =>
              value === MORE ? setShowsAll(true) : onSwitch(value)
            }
          >
            {(isShort ? fewPeople : peopleInWorkspace).map((person) => (
              <option key={person.id} value={person.id}>
                {personLabel(person)}
              </option>
            ))}
            {isShort && <option value={MORE}>More people…</option>}
          </select>
        </label>
      </div>
    </div>
  )
}
