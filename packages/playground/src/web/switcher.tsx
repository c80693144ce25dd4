import { useId } from 'react'
import { Autocomplete, Input, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components'
import { Dialog } from './dialog.tsx'
import { channelName, useDirectory } from './directory.ts'
import { usePage } from './page.ts'
import { findDmRecipient } from './people.ts'
import type { Route } from './state.ts'

interface Destination {
  id: string
  label: string
  detail: string
  route: Route
}

function useDestinations(): Destination[] {
  const directory = useDirectory()
  const { state } = usePage()
  const home: Destination = {
    id: 'home',
    label: `${state.snapshot.bot.name} Home`,
    detail: 'app',
    route: { kind: 'home' },
  }
  const channels = directory.channels.map((channel): Destination => {
    const { id, kind, topic } = channel
    const detail = kind === 'dm' ? `@${findDmRecipient(directory, channel)?.name ?? ''}` : topic
    return { id, label: channelName(directory, id) ?? id, detail, route: { kind: 'channel', id } }
  })
  return [...channels, home]
}

/** Searches channels, people, and Home by name, and opens the chosen one. */
export function Switcher({ onClose }: { onClose: () => void }) {
  const { dispatch } = usePage()
  const destinations = useDestinations()
  const id = useId()
  const { contains } = useFilter({ sensitivity: 'base' })
  const open = (key: unknown) => {
    const destination = destinations.find((candidate) => candidate.id === key)
    onClose()
    if (destination) dispatch({ type: 'navigate', route: destination.route })
  }
  return (
    <Dialog className="switcher" labelledBy={`${id}-title`} onCancel={onClose} onPressOutside={onClose}>
      <h2 id={`${id}-title`} className="hidden">
        Go to
      </h2>
      <Autocomplete filter={contains}>
        <SearchField aria-label="Channel or person" autoFocus>
          <Input className="field" placeholder="Channel or person" />
        </SearchField>
        <Menu
          aria-label="Channels and people"
          className="menu-list"
          items={destinations}
          onAction={open}
          renderEmptyState={() => <p className="listbox-status soft">No matches.</p>}
        >
          {({ id: key, label, detail }) => (
            <MenuItem id={key} textValue={`${label} ${detail}`} className="menu-item">
              {label}
              <span className="menu-detail">{detail}</span>
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Dialog>
  )
}
