import { useState } from 'react'
import type { Delivery } from '../../protocol.ts'
import { usePage } from '../page.ts'
import { Panel } from '../panel.tsx'
import { Scrolling } from '../scrolling.tsx'
import { DeliveryView } from './delivery.tsx'
import { RecordButton } from './record.tsx'

const SHOWN = 150

function matches(delivery: Delivery, filter: string): boolean {
  return `${delivery.kind} ${delivery.verdict} ${delivery.direction}`
    .toLowerCase()
    .includes(filter.trim().toLowerCase())
}

/** Every request between this playground and the app, newest first. */
export function Inspector({ at }: { at: string | null }) {
  const { state } = usePage()
  const [filter, setFilter] = useState('')
  const { snapshot } = state
  const found = snapshot.deliveries.filter((delivery) => matches(delivery, filter)).toReversed()
  return (
    <Panel title="Deliveries" label="Delivery inspector" closing="Close inspector" className="inspector">
      <div className="inspector-tools">
        <input
          className="field small"
          type="search"
          aria-label="Filter deliveries"
          placeholder="Filter by kind or verdict"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <RecordButton />
      </div>
      <Scrolling className="deliveries" label="Deliveries">
        {found.slice(0, SHOWN).map((delivery) => (
          <DeliveryView key={delivery.id} delivery={delivery} wanted={at === delivery.id} />
        ))}
        {found.length === 0 && (
          <p className="empty">Nothing has been sent{filter ? ' that matches' : ' yet'}.</p>
        )}
        {found.length > SHOWN && (
          <p className="note soft">{found.length - SHOWN} older ones: filter to find them.</p>
        )}
      </Scrolling>
    </Panel>
  )
}
