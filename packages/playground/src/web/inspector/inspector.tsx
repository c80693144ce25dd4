import { useState } from 'react'
import type { Delivery } from '../../protocol/protocol.ts'
import { usePage } from '../page.ts'
import { Panel } from '../panel.tsx'
import { Scrolling } from '../scrolling.tsx'
import { DeliveryView } from './delivery.tsx'
import { RecordButton } from './record.tsx'

const MAX_SHOWN = 150

function matches(delivery: Delivery, filter: string): boolean {
  return `${delivery.kind} ${delivery.verdict} ${delivery.direction}`
    .toLowerCase()
    .includes(filter.trim().toLowerCase())
}

/** The requests between the playground and the app, newest first. Scrolls to the delivery with `deliveryId`. */
export function Inspector({ deliveryId }: { deliveryId: string | null }) {
  const { state } = usePage()
  const [filter, setFilter] = useState('')
  const { snapshot } = state
  const matching = snapshot.deliveries.filter((delivery) => matches(delivery, filter)).toReversed()
  return (
    <Panel title="Inspector" label="Delivery inspector" closeLabel="Close inspector" className="inspector">
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
        {matching.slice(0, MAX_SHOWN).map((delivery) => (
          <DeliveryView key={delivery.id} delivery={delivery} isSelected={deliveryId === delivery.id} />
        ))}
        {matching.length === 0 && (
          <p className="empty">{filter ? 'No deliveries match.' : 'No deliveries yet.'}</p>
        )}
        {matching.length > MAX_SHOWN && (
          <p className="note soft">
            {matching.length - MAX_SHOWN} older deliveries aren’t shown. Filter to find them.
          </p>
        )}
      </Scrolling>
    </Panel>
  )
}
