import { useId } from 'react'
import { Autocomplete, Input, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components'
import { Dialog } from './dialog.tsx'
import { channelName, useDirectory } from './directory.ts'
import { usePage } from './page.ts'
import { findPartner } from './people.ts'
import type { Spot } from './state.ts'

interface Place {
  id: string
  label: string
  detail: string
  spot: Spot
}

function usePlaces(): Place[] {
  const directory = useDirectory()
  const { state } = usePage()
  const home: Place = {
    id: 'home',
    label: `${state.snapshot.bot.name} Home`,
    detail: 'app',
    spot: { kind: 'home' },
  }
  const channels = directory.channels.map((channel): Place => {
    const { id, kind, topic } = channel
    const detail = kind === 'dm' ? `@${findPartner(directory, channel)?.name ?? ''}` : topic
    return { id, label: channelName(directory, id) ?? id, detail, spot: { kind: 'channel', id } }
  })
  return [...channels, home]
}

/** Goes to a channel, a person, or Home by typing a part of its name. */
export function Switcher({ onClose }: { onClose: () => void }) {
  const { dispatch } = usePage()
  const places = usePlaces()
  const id = useId()
  const { contains } = useFilter({ sensitivity: 'base' })
  const go = (key: unknown) => {
    const place = places.find((one) => one.id === key)
    onClose()
    if (place) dispatch({ type: 'go', spot: place.spot })
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
          aria-label="Places"
          className="menu-list"
          items={places}
          onAction={go}
          renderEmptyState={() => <p className="listbox-status soft">Nothing matches.</p>}
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
