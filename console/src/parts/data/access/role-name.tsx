import { everyUser } from '@surehook/contracts/http/data/owner-access'

export const RoleName = ({ role }: { role: string }) =>
  role === everyUser ? 'every user' : <code className="breakable">{role}</code>
