import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { eventPath } from '../../parts/data/event-path.ts'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Card } from '../../parts/layout/page.tsx'

/** Opens an event that is no longer among the newest. */
export function FindEvent() {
  const [eventId, setEventId] = useState('')
  const [time, setTime] = useState('')
  const navigate = useNavigate()
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (eventId !== '') void navigate(eventPath(eventId, time))
  }
  return (
    <Card title="Find an older event">
      <form className="stack narrow" onSubmit={open}>
        <TextField
          label="Event id"
          required
          value={eventId}
          onChange={(event) => setEventId(event.target.value.trim())}
          hint="The id in the body of a delivery, and its header x-service-delivery."
        />
        <TextField
          label="Time"
          placeholder="2026-01-31T12:00:00Z"
          value={time}
          onChange={(event) => setTime(event.target.value.trim())}
          hint="Optional. The timestamp in the body. Only ids that are not UUIDv7 need it."
        />
        <div className="row">
          <Button type="submit">Explain the event</Button>
        </div>
        <p className="quiet">
          You know the record but not the event? <Link to="/deliveries">Search the deliveries</Link>{' '}
          by record id.
        </p>
      </form>
    </Card>
  )
}
