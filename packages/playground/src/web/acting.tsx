import type { Person, Workspace } from '../protocol.ts'
import { Avatar } from './chat/avatar.tsx'
import { usePage } from './page.ts'
import { findWorkspace } from './people.ts'

const ROLES = {
  member: '',
  admin: 'admin',
  guest: 'guest',
  'single-channel-guest': 'single-channel guest',
  foreign: 'other organization',
  bot: 'app',
}

function personLabel({ realName, role, deleted }: Person): string {
  const what = deleted ? 'deactivated' : ROLES[role]
  return what ? `${realName} (${what})` : realName
}

function workspaceLabel({ name, organization, installed }: Workspace): string {
  const about = [organization?.name, installed ? undefined : 'app not installed'].filter(Boolean)
  return about.length > 0 ? `${name} (${about.join(', ')})` : name
}

/** The current person and workspace. Changing the workspace selects its first person. */
export function Acting({ onSwitch }: { onSwitch: (user: string) => void }) {
  const { state } = usePage()
  const { me, actors, people, workspaces } = state.snapshot
  const seat = findWorkspace(me)
  const actable = people.filter(({ id }) => actors.includes(id))
  const here = actable.filter((person) => findWorkspace(person) === seat)
  const enter = (id: string) => {
    const first = actable.find((person) => findWorkspace(person) === id && !person.deleted)
    if (first) onSwitch(first.id)
  }
  return (
    <div className="acting">
      <label>
        <span className="acting-label">Workspace</span>
        <select value={seat} onChange={(event) => enter(event.currentTarget.value)}>
          {workspaces.map((workspace) => (
            <option key={workspace.id} value={workspace.id}>
              {workspaceLabel(workspace)}
            </option>
          ))}
        </select>
      </label>
      <div className="acting-person">
        <Avatar user={me.id} />
        <label>
          <span className="acting-label">Acting as</span>
          <select value={me.id} onChange={(event) => onSwitch(event.currentTarget.value)}>
            {here.map((person) => (
              <option key={person.id} value={person.id}>
                {personLabel(person)}
              </option>
            ))}
          </select>
        </label>
      </div>
    </div>
  )
}
