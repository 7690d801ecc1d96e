import { Employee, type EmployeeState } from './employee';

export { Employee, type EmployeeState };
