import type { Area } from '../records/area';
import { Employee } from './employee';
import { employeesProjection } from './employee.projection';
import { EmployeesReadController, EmployeesWriteController } from './employees.controllers';

export const employeesArea: Area = {
  definition: Employee,
  write: { controllers: [EmployeesWriteController], handlers: [] },
  read: { controllers: [EmployeesReadController] },
  projections: [employeesProjection],
};
