import { EMPLOYEE_ENTITY, Employee, type EmployeeState, ENTITY_EMPLOYEE } from './employee';

export { EMPLOYEE_ENTITY, Employee, type EmployeeState, ENTITY_EMPLOYEE };
